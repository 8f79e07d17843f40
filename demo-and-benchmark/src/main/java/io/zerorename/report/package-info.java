/** What the demo and the benchmark share: options, progress, charts and pages. */
package io.zerorename.report;
