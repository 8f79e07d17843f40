/** A cluster with Kerberos in a process of its own: Kerberos is global in a JVM. */
package io.zerorename.testing.secure;
