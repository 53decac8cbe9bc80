import { ask, gatewayOf } from './agent.js';
import { expect, test } from './key-store.js';

test('With a key store the audit’s end is signed', async ({ launch, keyStore }) => {
  const app = await launch({ ...keyStore.options, flags: [...keyStore.options.flags, '--gateway'] });
  const backend = await app.electron.evaluate(({ safeStorage }) => safeStorage.getSelectedStorageBackend());
  expect(backend).toBe('gnome_libsecret');
  const verdict = await ask(await gatewayOf(app.dataDir, app.pid), '/v1/audit/verify');
  expect(verdict).toMatchObject({ ok: true, signed: true });
});
