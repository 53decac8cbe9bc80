// The reading thread, from source.
import '../../../journal/source-hooks.test-support.ts';
await import('./reader-thread.js');
