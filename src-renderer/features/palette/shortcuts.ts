interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

/** Every key that means something, where it does. */
export const SHORTCUTS: readonly { readonly where: string; readonly all: readonly Shortcut[] }[] = [
  {
    where: 'Everywhere',
    all: [
      { keys: ['Ctrl+K'], does: 'Find a place, setting, call or action' },
      { keys: ['?', 'Ctrl+/'], does: 'Show these shortcuts' },
      { keys: ['Ctrl+1 … Ctrl+9'], does: 'Go to a place' },
      { keys: ['Ctrl+F'], does: 'Search this page' },
      { keys: ['Ctrl+J'], does: 'Go to what waits for you' },
      { keys: ['Ctrl+O'], does: 'Open a folder' },
      { keys: ['Ctrl+,'], does: 'Open settings' },
      { keys: ['Ctrl+Shift+R'], does: 'Reload the window' },
    ],
  },
  {
    where: 'Approving calls',
    all: [
      { keys: ['↑', '↓'], does: 'Choose a call' },
      { keys: ['Space'], does: 'Select it, or not' },
      { keys: ['Ctrl+Enter'], does: 'Approve what is selected' },
      { keys: ['D'], does: 'Go to Reason' },
      { keys: ['E'], does: 'Edit its arguments' },
      { keys: ['A'], does: 'Approve and always…' },
      { keys: ['Enter'], does: 'In Reason: deny with that reason' },
    ],
  },
  {
    where: 'Conversation',
    all: [
      { keys: ['Enter'], does: 'Send the message' },
      { keys: ['Shift+Enter'], does: 'Begin a new line' },
      { keys: ['@'], does: 'Attach a file of the folder' },
      { keys: ['Esc'], does: 'Close the files, or leave an edit' },
    ],
  },
  {
    where: 'Composing calls',
    all: [{ keys: ['Alt+↑', 'Alt+↓'], does: 'Move the call up or down' }],
  },
];
