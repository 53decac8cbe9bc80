// The reading thread, from source.
import '../../../../journal/reading/source-hooks.test-support.ts';
await import('./reader-thread.js');
