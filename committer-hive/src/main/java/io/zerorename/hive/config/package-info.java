/** The settings that only Hive has, and where its records are kept. */
package io.zerorename.hive.config;
