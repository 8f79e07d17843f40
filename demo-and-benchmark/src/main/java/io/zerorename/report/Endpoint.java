package io.zerorename.report;

import java.net.URI;

/**
 * An S3 that a person names, to be used in place of the server that the program starts.
 *
 * @param url http or https, with a host and no path
 * @param prefix empty, or a directory of the bucket, with a slash behind it
 * @param agreed whether the person has agreed to the cost
 */
public record Endpoint(URI url, String region, String bucket, String prefix, boolean agreed) {}
