// The redaction's thread, from source.
import '../../journal/source-hooks.test-support.ts';
await import('./redaction-thread.js');
