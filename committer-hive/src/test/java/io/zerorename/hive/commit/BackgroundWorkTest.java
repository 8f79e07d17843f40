package io.zerorename.hive.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

class BackgroundWorkTest {
  @Test
  void workOfAUserDoesNotKeepItFromAnother() throws Exception {
    CountDownLatch ran = new CountDownLatch(2);
    for (String user : List.of("alice", "bob", "alice")) {
      UserGroupInformation.createRemoteUser(user)
          .doAs(
              (PrivilegedExceptionAction<Void>)
                  () -> {
                    BackgroundWork.begin(
                        "of users",
                        () -> {
                          ran.countDown();
                          throw new IOException(user + " may not");
                        });
                    return null;
                  });
    }

    assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(BackgroundWork.BEGUN).containsKeys("of users as alice", "of users as bob");
  }
}
