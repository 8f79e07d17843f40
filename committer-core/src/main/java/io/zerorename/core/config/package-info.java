/**
 * Configuration keys: each declared once, with its default, unit and meaning. Begin with {@link
 * io.zerorename.core.config.CoreKeys}.
 */
package io.zerorename.core.config;
