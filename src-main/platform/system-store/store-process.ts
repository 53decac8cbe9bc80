import { Entry } from '@napi-rs/keyring';
import type { StoreAnswer, StoreRequest } from './protocol.js';

// The entry of the process that speaks with the system's own store (out/main/system-store.js). A process, because a
// store may keep whoever asks it waiting for as long as a person looks at its dialog, and native code can't be taken
// back from a thread.

const SERVICE = 'Gatehouse';
const port = process.parentPort;

port.on('message', ({ data }: { readonly data: unknown }) => port.postMessage(answer(data as StoreRequest)));

function answer(request: StoreRequest): StoreAnswer {
  try {
    // The library would take the kernel's keyring on Linux where there is no Secret Service: that one forgets, and any
    // process of the session reads it.
    const entry = new Entry(SERVICE, request.name, { linux: { store: 'secret-service' } });
    if (request.op === 'get') return { id: request.id, ok: true, value: entry.getPassword() };
    entry.setPassword(request.value);
    return { id: request.id, ok: true, value: null };
  } catch (error) {
    return { id: request.id, ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
