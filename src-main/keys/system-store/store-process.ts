import { Entry } from '@napi-rs/keyring';
import { answerQuestions } from '../../platform/asked/answer-questions.js';
import type { StoreService } from './protocol.js';

// The entry of the process that speaks with the system's own store (out/main/system-store.js). A process, because a
// store may keep whoever asks it waiting for as long as a person looks at its dialog, and native code can't be taken
// back from a thread.

const SERVICE = 'Gatehouse';
// The library would take the kernel's keyring on Linux where there is no Secret Service: that one forgets, and any
// process of the session reads it.
const openEntry = (name: string): Entry => new Entry(SERVICE, name, { linux: { store: 'secret-service' } });

answerQuestions<StoreService>({
  get: (name) => openEntry(name).getPassword(),
  set: (name, value) => openEntry(name).setPassword(value),
});
