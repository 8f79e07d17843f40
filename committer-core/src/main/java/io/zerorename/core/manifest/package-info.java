/** What a task attempt hands to job commit. */
package io.zerorename.core.manifest;
