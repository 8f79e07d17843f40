/** Pages with charts that need no other file, for whatever reports the project writes. */
package io.zerorename.report.html;
