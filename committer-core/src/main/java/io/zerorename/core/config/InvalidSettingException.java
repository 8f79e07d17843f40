package io.zerorename.core.config;

/**
 * A configuration key has a value that it cannot have. The message names the key, the value, what
 * is allowed, and where to change it.
 */
public final class InvalidSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidSettingException(String message) {
    super(message);
  }
}
