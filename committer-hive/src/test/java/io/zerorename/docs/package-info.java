/** The documentation says what the code says. Reads files only, and starts nothing. */
package io.zerorename.docs;
