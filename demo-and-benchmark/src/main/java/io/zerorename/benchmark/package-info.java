/**
 * Times and requests of this committer beside those of the others, from one run of {@code
 * ./benchmark}.
 */
package io.zerorename.benchmark;
