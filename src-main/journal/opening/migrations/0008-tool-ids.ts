import type { Migration } from '../migration.js';

/** Calls are found by the tool that they were of, and by all tools of a group, and not only by what they asked for. */
export const toolIds: Migration = {
  version: 8,
  name: 'tool-ids',
  up(db) {
    // Without what asked for a name that no tool has.
    db.exec('CREATE INDEX calls_tool_id ON calls (toolId, id) WHERE toolId IS NOT NULL');
  },
};
