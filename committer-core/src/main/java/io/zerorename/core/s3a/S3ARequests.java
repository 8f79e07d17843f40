package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.s3a.api.RequestFactory;
import software.amazon.awssdk.awscore.AwsRequest;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.SdkField;
import software.amazon.awssdk.core.SdkPojo;
import software.amazon.awssdk.services.s3.model.AbortMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListPartsRequest;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.StorageClass;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * Builds requests with the user's encryption, ACL, storage class, content encoding and time-outs.
 *
 * <p>S3A's factory builds those whose method has the same signature in Hadoop 3.4.1, 3.4.3 and
 * 3.5.0. UploadPart and CompleteMultipartUpload have not, and {@code PutObjectOptions} has another
 * constructor in each, so those two are built here, from the settings that the factory gives a PUT
 * of the same key, and options are null. ListParts is built here too, because no factory has it.
 * What all requests carry alike, such as the header of requester pays, S3A's client adds by itself.
 *
 * <p>Only calls of the SDK are used that 2.24.6 has, the version that Hadoop 3.4.1 brings.
 */
final class S3ARequests {
  /** Since Hadoop 3.4.3: whether the SDK, from 2.30 on, adds a CRC32 to what has no checksum. */
  private static final String CHECKSUM_GENERATION = "fs.s3a.checksum.generation";

  private static final Set<StorageClass> ARCHIVES =
      EnumSet.of(StorageClass.GLACIER, StorageClass.DEEP_ARCHIVE);

  private final String bucket;
  private final RequestFactory factory;
  private final boolean sdkAddsChecksums;

  S3ARequests(String bucket, RequestFactory factory, Configuration conf) {
    this.bucket = bucket;
    this.factory = factory;
    this.sdkAddsChecksums = conf.getBoolean(CHECKSUM_GENERATION, false);
  }

  CreateMultipartUploadRequest createUpload(String key, Map<String, String> metadata)
      throws IOException {
    CreateMultipartUploadRequest theirs =
        factory.newMultipartUploadRequestBuilder(key, null).build();
    return theirs.toBuilder()
        .metadata(merge(theirs.metadata(), metadata))
        .checksumAlgorithm(ofAllParts(theirs.checksumAlgorithmAsString()))
        .build();
  }

  UploadPartRequest uploadPart(String key, String uploadId, int partNumber, long length) {
    PutObjectRequest like = factory.newPutObjectRequestBuilder(key, null, length, false).build();
    UploadPartRequest.Builder builder =
        UploadPartRequest.builder()
            .bucket(bucket)
            .key(key)
            .uploadId(uploadId)
            .partNumber(partNumber)
            .contentLength(length)
            .checksumAlgorithm(ofAllParts(like.checksumAlgorithmAsString()))
            .sseCustomerAlgorithm(like.sseCustomerAlgorithm())
            .sseCustomerKey(like.sseCustomerKey())
            .sseCustomerKeyMD5(like.sseCustomerKeyMD5());
    like.overrideConfiguration().ifPresent(builder::overrideConfiguration);
    return builder.build();
  }

  CompleteMultipartUploadRequest complete(String key, String uploadId, List<UploadedPart> parts) {
    List<CompletedPart> completed = parts.stream().map(S3ARequests::completed).toList();
    return CompleteMultipartUploadRequest.builder()
        .bucket(bucket)
        .key(key)
        .uploadId(uploadId)
        .multipartUpload(CompletedMultipartUpload.builder().parts(completed).build())
        .build();
  }

  private static CompletedPart completed(UploadedPart part) {
    CompletedPart.Builder builder =
        CompletedPart.builder().partNumber(part.number()).eTag(part.etag());
    part.checksums()
        .forEach(
            (algorithm, value) ->
                field(builder, "Checksum" + algorithm)
                    .ifPresent(field -> field.set(builder, value)));
    return builder.build();
  }

  /** The checksum of a part, where the request has named one; S3 answers with others too. */
  static Map<String, String> checksums(UploadPartRequest request, UploadPartResponse answer) {
    return Optional.ofNullable(request.checksumAlgorithmAsString())
        .flatMap(
            algorithm ->
                field(answer, "x-amz-checksum-" + algorithm)
                    .map(field -> (String) field.getValueOrDefault(answer))
                    .map(value -> Map.of(algorithm, value)))
        .orElse(Map.of());
  }

  /** By the name that it has in S3's interface: each SDK knows more algorithms than the last. */
  private static Optional<SdkField<?>> field(SdkPojo message, String name) {
    return message.sdkFields().stream()
        .filter(field -> field.locationName().equalsIgnoreCase(name))
        .findFirst();
  }

  CompleteMultipartUploadRequest completeIfAbsent(
      String key, String uploadId, List<UploadedPart> parts) {
    CompleteMultipartUploadRequest plain = complete(key, uploadId, parts);
    return plain.toBuilder().overrideConfiguration(ifAbsent(plain)).build();
  }

  AbortMultipartUploadRequest abort(String key, String uploadId) {
    return factory.newAbortMultipartUploadRequestBuilder(key, uploadId).build();
  }

  PutObjectRequest put(String key, long length, Map<String, String> metadata) {
    PutObjectRequest theirs =
        length == 0 && key.endsWith("/")
            ? factory.newDirectoryMarkerRequest(key).build()
            : factory.newPutObjectRequestBuilder(key, null, length, false).build();
    return theirs.toBuilder().metadata(merge(theirs.metadata(), metadata)).build();
  }

  /**
   * For what is read again at any time. Where the user's storage class is one whose objects S3 must
   * restore before anybody can read them, this has the bucket's default instead.
   */
  PutObjectRequest putIfAbsent(String key, long length, Map<String, String> metadata) {
    PutObjectRequest plain = put(key, length, metadata);
    StorageClass readable = ARCHIVES.contains(plain.storageClass()) ? null : plain.storageClass();
    return plain.toBuilder().storageClass(readable).overrideConfiguration(ifAbsent(plain)).build();
  }

  /** What a request overrides, and the condition that no object of its key exists. */
  private static AwsRequestOverrideConfiguration ifAbsent(AwsRequest plain) {
    return plain
        .overrideConfiguration()
        .map(AwsRequestOverrideConfiguration::toBuilder)
        .orElseGet(AwsRequestOverrideConfiguration::builder)
        .putHeader("If-None-Match", "*")
        .build();
  }

  GetObjectRequest get(String key) {
    return factory.newGetObjectRequestBuilder(key).build();
  }

  HeadObjectRequest head(String key) {
    return factory.newHeadObjectRequestBuilder(key).build();
  }

  /** The page after a continuation token, or the first after null. */
  ListObjectsV2Request list(String prefix, String continuationToken) {
    return factory
        .newListObjectsV2RequestBuilder(prefix, null, ObjectStore.PAGE_SIZE)
        .encodingType(EncodingType.URL)
        .continuationToken(continuationToken)
        .build();
  }

  ListMultipartUploadsRequest listUploads(String prefix, String keyMarker, String uploadIdMarker) {
    return factory
        .newListMultipartUploadsRequestBuilder(prefix)
        .maxUploads(ObjectStore.PAGE_SIZE)
        .encodingType(EncodingType.URL)
        .keyMarker(keyMarker)
        .uploadIdMarker(uploadIdMarker)
        .build();
  }

  /** The page after a part number, or the first after null. */
  ListPartsRequest listParts(String key, String uploadId, Integer partNumberMarker) {
    return ListPartsRequest.builder()
        .bucket(bucket)
        .key(key)
        .uploadId(uploadId)
        .maxParts(ObjectStore.PAGE_SIZE)
        .partNumberMarker(partNumberMarker)
        .build();
  }

  DeleteObjectsRequest delete(List<String> keys) {
    List<ObjectIdentifier> objects =
        keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
    return factory
        .newBulkDeleteRequestBuilder(objects)
        .delete(Delete.builder().objects(objects).quiet(true).build())
        .build();
  }

  private static Map<String, String> merge(Map<String, String> theirs, Map<String, String> ours) {
    Map<String, String> merged = new HashMap<>(theirs);
    merged.putAll(ours);
    return merged;
  }

  /**
   * The algorithm that Create, each part and Complete name alike, or null: S3 does not find a part
   * again whose checksum Complete does not name. What the SDK would add to each part by itself is
   * named too.
   */
  private String ofAllParts(String declared) {
    return declared == null && sdkAddsChecksums ? ChecksumAlgorithm.CRC32.toString() : declared;
  }
}
