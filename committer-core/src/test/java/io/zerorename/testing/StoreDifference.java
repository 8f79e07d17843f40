package io.zerorename.testing;

/** How a store may differ from S3 as AWS runs it, where the committer can live with that. */
public enum StoreDifference {
  /** Lists pending uploads by their exact key only, as MinIO does. */
  LISTS_UPLOADS_BY_EXACT_KEY,
  /**
   * Says of a listing of uploads that its keys are URL-encoded, and does not encode them, as
   * LocalStack does, so that those with a percent or plus sign are read as others.
   */
  LISTS_UPLOADS_AS_IF_ENCODED,
  /** Lists a part that another has replaced as well, as SeaweedFS does. */
  LISTS_REPLACED_PARTS,
  /** Lists the ETags of parts without quotes, as Ozone does, and takes them in a Complete. */
  LISTS_ETAGS_OF_PARTS_WITHOUT_QUOTES,
  /** Takes a part of an aborted upload as if nothing had happened, as S3Proxy does. */
  TAKES_PARTS_AFTER_ABORT,
  /** Completes uploads whose parts before the last are smaller than 5 MiB. */
  TAKES_SMALL_PARTS,
  /**
   * Answers a question for the parts of an upload that does not exist with an empty list, as
   * S3Proxy does.
   */
  LISTS_NO_PARTS_OF_NO_UPLOAD,
  /**
   * Answers a part or a Complete of an upload that is over with HTTP 500, as moto does, so that it
   * is unknown whether the request took effect.
   */
  FAILS_AT_UPLOADS_THAT_ARE_OVER,
  /** The same for a Complete only, as Ceph does. */
  FAILS_AT_COMPLETES_OF_UPLOADS_THAT_ARE_OVER,
  /** Ignores the condition of a conditional PUT. */
  IGNORES_CONDITIONS,
  /** Ignores the condition of a Complete, and not of a PUT, as Ceph 16 does. */
  IGNORES_CONDITIONS_OF_COMPLETES,
  /**
   * Checks the condition of a PUT before it writes and not with it, as Adobe's S3Mock does, so that
   * of concurrent ones several may succeed.
   */
  LETS_CONDITIONS_RACE,
  /**
   * Orders a listing by UTF-16 and not by UTF-8, as S3Proxy and Ozone do. Beyond U+FFFF it is
   * refused.
   */
  ORDERS_KEYS_BY_UTF_16,
  /**
   * Lists keys once more after their delete, as Ozone does where a listing is read while the delete
   * reaches the database. No other request finds them.
   */
  LISTS_DELETED_KEYS_ONCE_MORE,
  /** Refuses a PUT or a part without content, as Ceph 16 does over HTTP. */
  REFUSES_EMPTY_CONTENT
}
