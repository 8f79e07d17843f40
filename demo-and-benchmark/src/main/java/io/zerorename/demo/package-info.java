/** One INSERT OVERWRITE, three ways to commit it, side by side. */
package io.zerorename.demo;
