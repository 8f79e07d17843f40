package io.zerorename.hiveserver2;

import io.zerorename.testing.secure.SecureCluster;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;

/** Users who log in from their keytabs by the JDK alone: Hadoop's login is global in a JVM. */
final class KerberosLogin {
  private KerberosLogin() {}

  /** Does something as a user. */
  static <T> T as(SecureCluster cluster, String user, Callable<T> action) throws Exception {
    System.setProperty("java.security.krb5.conf", cluster.krb5().toString());
    try {
      return Subject.doAs(
          subject(cluster, user), (java.security.PrivilegedExceptionAction<T>) action::call);
    } catch (CompletionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static Subject subject(SecureCluster cluster, String user) throws LoginException {
    LoginContext login =
        new LoginContext(
            "",
            new Subject(),
            null,
            new Configuration() {
              @Override
              public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                return new AppConfigurationEntry[] {
                  new AppConfigurationEntry(
                      "com.sun.security.auth.module.Krb5LoginModule",
                      LoginModuleControlFlag.REQUIRED,
                      Map.of(
                          "useKeyTab", "true",
                          "keyTab", cluster.keytab(user).toString(),
                          "principal", SecureCluster.principal(user),
                          "storeKey", "true",
                          "doNotPrompt", "true",
                          "refreshKrb5Config", "true"))
                };
              }
            });
    login.login();
    return login.getSubject();
  }
}
