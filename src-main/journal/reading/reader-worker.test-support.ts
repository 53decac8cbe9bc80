// The reading thread, from source.
import './source-hooks.test-support.ts';
await import('./reader-worker.js');
