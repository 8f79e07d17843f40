/** A program as a user submits it. */
package com.example;
