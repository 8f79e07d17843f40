/** A network that loses, delays and repeats bytes, whatever they mean. */
package io.zerorename.testing.net;
