/** The revisions of MCP in which a session begins with `initialize`, newest first, as our server speaks them. */
export const SESSION_REVISIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];
