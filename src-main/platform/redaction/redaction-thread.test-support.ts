// The redaction's thread, from source.
import '../../journal/reading/source-hooks.test-support.ts';
await import('./redaction-thread.js');
