/** What is left of commits whose process was killed, and what recovery makes of it. */
package io.zerorename.core.kill;
