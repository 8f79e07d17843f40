/** Configuration keys: each declared once, with its default, unit and meaning. */
package io.zerorename.core.config;
