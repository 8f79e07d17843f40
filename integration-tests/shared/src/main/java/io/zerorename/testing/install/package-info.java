/** The distribution, as users unpack and configure it. */
package io.zerorename.testing.install;
