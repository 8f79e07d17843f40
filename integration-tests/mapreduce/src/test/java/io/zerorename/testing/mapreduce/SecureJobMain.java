package io.zerorename.testing.mapreduce;

import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Submits a job that copies lines, as a user who logs in from a keytab, and prints how it ended.
 */
final class SecureJobMain {
  private SecureJobMain() {}

  /** The principal, the keytab, a file with the configuration, input and output. */
  public static void main(String[] arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.addResource(new Path(arguments[2]));
    UserGroupInformation.setConfiguration(conf);
    UserGroupInformation user =
        UserGroupInformation.loginUserFromKeytabAndReturnUGI(arguments[0], arguments[1]);
    user.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              run(conf, new Path(arguments[3]), new Path(arguments[4]));
              return null;
            });
    System.exit(0);
  }

  private static void run(Configuration conf, Path input, Path output) throws Exception {
    Job job = Job.getInstance(conf, "secure");
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    FileInputFormat.setInputPaths(job, input);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormatClass(TextOutputFormat.class);
    FileOutputFormat.setOutputPath(job, output);
    job.setNumReduceTasks(0);
    boolean succeeded = job.waitForCompletion(false);
    job.getCredentials()
        .getAllTokens()
        .forEach(it -> System.out.println("token " + it.getKind() + " of " + it.getService()));
    System.out.println("succeeded " + succeeded);
  }
}
