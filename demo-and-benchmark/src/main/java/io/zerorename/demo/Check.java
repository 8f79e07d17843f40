package io.zerorename.demo;

/**
 * Something that must hold for the comparison to mean anything.
 *
 * @param detail what was found, in words for a person
 */
record Check(String name, boolean passed, String detail) {}
