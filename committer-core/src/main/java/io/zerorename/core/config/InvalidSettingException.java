package io.zerorename.core.config;

/**
 * A configuration key has a value that it cannot have. The message names the key, the value, what
 * is allowed, and where to change it.
 */
public final class InvalidSettingException extends IllegalArgumentException {
  private final String key;

  InvalidSettingException(String key, String message, Throwable cause) {
    super(message, cause);
    this.key = key;
  }

  /** The name under which it was set. */
  public String key() {
    return key;
  }
}
