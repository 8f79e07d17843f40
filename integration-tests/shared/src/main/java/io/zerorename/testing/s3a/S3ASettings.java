package io.zerorename.testing.s3a;

import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.GET_OBJECT;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;

import java.util.List;

/** What users set for S3A that leaves with requests. */
public final class S3ASettings {
  private static final String ENCRYPTION = "x-amz-server-side-encryption";
  private static final String KEY_ID = ENCRYPTION + "-aws-kms-key-id";
  private static final String CUSTOMER = ENCRYPTION + "-customer-";
  private static final String KMS_KEY = "arn:aws:kms:eu-west-1:1:key/2";
  private static final String CUSTOMER_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

  static final List<S3ASetting> ALL =
      List.of(
          S3ASetting.named("SSE-S3")
              .set("encryption.algorithm", "AES256")
              .gives(ENCRYPTION, "AES256")
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("SSE-KMS")
              .set("encryption.algorithm", "SSE-KMS")
              .set("encryption.key", KMS_KEY)
              .gives(ENCRYPTION, "aws:kms")
              .gives(KEY_ID, KMS_KEY)
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("SSE-KMS by the old names")
              .set("server-side-encryption-algorithm", "SSE-KMS")
              .set("server-side-encryption.key", KMS_KEY)
              .gives(ENCRYPTION, "aws:kms")
              .gives(KEY_ID, KMS_KEY)
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("SSE-KMS with the account's own key")
              .set("encryption.algorithm", "SSE-KMS")
              .gives(ENCRYPTION, "aws:kms")
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("DSSE-KMS")
              .set("encryption.algorithm", "DSSE-KMS")
              .set("encryption.key", KMS_KEY)
              .gives(ENCRYPTION, "aws:kms:dsse")
              .gives(KEY_ID, KMS_KEY)
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("encryption context")
              .since("3.5.0")
              .set("encryption.algorithm", "SSE-KMS")
              .set("encryption.context", "project=sales")
              .gives(ENCRYPTION + "-context", "eyJwcm9qZWN0Ijoic2FsZXMifQ==")
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("SSE-C")
              .set("encryption.algorithm", "SSE-C")
              .set("encryption.key", CUSTOMER_KEY)
              .gives(CUSTOMER + "algorithm", "AES256")
              .gives(CUSTOMER + "key", CUSTOMER_KEY)
              .gives(CUSTOMER + "key-md5", "hRasmdxgYDKV3nvbahU1MA==")
              .to(CREATE_MULTIPART_UPLOAD, UPLOAD_PART, PUT_OBJECT, GET_OBJECT, HEAD_OBJECT),
          S3ASetting.named("storage class")
              .set("create.storage.class", "intelligent_tiering")
              .gives("x-amz-storage-class", "INTELLIGENT_TIERING")
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("canned ACL")
              .set("acl.default", "BucketOwnerFullControl")
              .gives("x-amz-acl", "bucket-owner-full-control")
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("content encoding")
              .set("object.content.encoding", "gzip")
              .gives("content-encoding", "gzip")
              .to(CREATE_MULTIPART_UPLOAD, PUT_OBJECT),
          S3ASetting.named("checksum")
              .since("3.4.3")
              .set("create.checksum.algorithm", "SHA256")
              .gives("x-amz-sdk-checksum-algorithm", "SHA256")
              .to(UPLOAD_PART, PUT_OBJECT),
          S3ASetting.named("MD5 of a bulk delete")
              .since("3.4.3")
              .set("request.md5.header", "true")
              .gives("content-md5", "==")
              .to(DELETE_OBJECTS),
          S3ASetting.named("requester pays")
              .set("requester.pays.enabled", "true")
              .gives("x-amz-request-payer", "requester")
              .toAll(),
          S3ASetting.named("headers of the client")
              .since("3.5.0")
              .set("client.s3.custom.headers", "x-team=sales")
              .gives("x-team", "sales")
              .toAll(),
          S3ASetting.named("user agent")
              .set("user.agent.prefix", "nightly-load")
              .gives("user-agent", "nightly-load")
              .toAll(),
          S3ASetting.named("keys")
              .set("access.key", "key-of-sales")
              .set("secret.key", "s")
              .gives("authorization", "Credential=key-of-sales/")
              .toAll(),
          S3ASetting.named("temporary credentials")
              .set(
                  "aws.credentials.provider",
                  "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider")
              .set("access.key", "temporary-key")
              .set("secret.key", "s")
              .set("session.token", "token-of-an-hour")
              .gives("authorization", "Credential=temporary-key/")
              .gives("x-amz-security-token", "token-of-an-hour")
              .toAll(),
          S3ASetting.named("credential provider of one's own")
              .set("aws.credentials.provider", OwnCredentialsProvider.class.getName())
              .gives("authorization", "Credential=" + OwnCredentialsProvider.ACCESS_KEY + "/")
              .toAll(),
          S3ASetting.named("region")
              .set("endpoint.region", "eu-central-2")
              .gives("authorization", "/eu-central-2/s3/aws4_request")
              .toAll());

  private S3ASettings() {}

  /** Those that the Hadoop on the class path has. */
  public static List<S3ASetting> ofThisHadoop() {
    return ALL.stream().filter(S3ASetting::isOfThisHadoop).toList();
  }
}
