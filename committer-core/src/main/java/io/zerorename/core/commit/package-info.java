/** Job commit and job abort, stage by stage. */
package io.zerorename.core.commit;
