/** The pages of the documentation, and the sources that they speak of, as text. */
package io.zerorename.testing.docs;
