/** Pages that need no other file, for the commands, the demo and the benchmark. */
package io.zerorename.report.html;
