/** Hosts on a network whose links can be cut. */
package io.zerorename.testing.network;
