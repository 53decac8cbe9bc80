import type { Migration } from '../migration.js';

/** Which rules of the person let a call run, as its event says, and that they did. The index is found by these very words. */
export const LET_RUN_BY = `json_extract(body, '$.details.rule')`;
export const IS_LET_RUN = `json_extract(body, '$.details.by') = 'standing-confirmation'`;

/** How often each rule was used is counted when the rules are shown. */
export const callsByRule: Migration = {
  version: 12,
  name: 'calls-by-rule',
  up(db) {
    db.exec(`CREATE INDEX events_by_rule ON events (${LET_RUN_BY}, call) WHERE ${IS_LET_RUN}`);
  },
};
