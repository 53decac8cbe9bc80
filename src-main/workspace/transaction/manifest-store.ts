import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.js';
import type { ImageStore } from '../images/image-store.js';
import type { TransactionManifest } from './transaction-manifest.js';
import { type ImageSealing, sealForChange } from '../images/image-sealing.js';
import type { DiskAccess } from './transaction-steps.js';

/**
 * Where manifests are: under `transactions/` while a crash would have to be repaired, beside the images of their segment
 * once they are settled.
 */
export class ManifestStore {
  readonly #folder: string;
  readonly #images: ImageStore;
  readonly #disk: DiskAccess;
  readonly #sealing: ImageSealing;

  constructor(folder: string, images: ImageStore, disk: DiskAccess, sealing: ImageSealing) {
    this.#sealing = sealing;
    this.#folder = folder;
    this.#images = images;
    this.#disk = disk;
  }

  /** Where spare images are, too. */
  get folder(): string {
    return this.#folder;
  }

  async write(manifest: TransactionManifest): Promise<void> {
    const written = await this.#writeNew(manifest);
    await this.#disk.step('manifest-rename', manifest.callId);
    await rename(written, this.#pending(manifest.callId));
    await this.#syncPending();
  }

  /**
   * Writes the manifest of a change that is over: it is a record as soon as it has its name, and is never pending. A
   * half-written file that a crash leaves is removed with the other half-written ones.
   */
  async writeSettled(manifest: TransactionManifest): Promise<void> {
    const written = await this.#writeNew(manifest);
    await this.#disk.step('settle', manifest.callId);
    await rename(written, this.#settled(manifest.segment, manifest.callId));
    await this.#disk.step('manifest-folder-sync', manifest.callId);
    if (this.#disk.durable) await syncFolder(this.#images.folderOf(manifest.segment));
  }

  /** Removes a record that could not be made durable. */
  async forgetSettled(manifest: TransactionManifest): Promise<void> {
    await this.drop(manifest.callId);
    await unlink(this.#settled(manifest.segment, manifest.callId)).catch(ignoreMissing);
  }

  async #writeNew(manifest: TransactionManifest): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = `${this.#pending(manifest.callId)}.new`;
    await this.#disk.step('manifest-write', manifest.callId);
    const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      await handle.writeFile(JSON.stringify(manifest));
      await this.#disk.step('manifest-sync', manifest.callId);
      if (this.#disk.durable) await handle.sync();
    } finally {
      await handle.close();
    }
    return file;
  }

  async writeSpare(name: string, content: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#disk.step('image-write', name);
    const bytes = await sealForChange(content, name, this.#sealing);
    const handle = await open(
      join(this.#folder, name),
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
      0o600,
    );
    try {
      await handle.writeFile(bytes);
      if (this.#disk.durable) await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** The call is settled: its manifest becomes the record that undo reads. */
  async settle(manifest: TransactionManifest): Promise<void> {
    await this.#disk.step('settle', manifest.callId);
    await rename(this.#pending(manifest.callId), this.#settled(manifest.segment, manifest.callId));
    await this.#removeSpares(manifest);
  }

  /** Removes the manifest once all was put back: there is nothing to repair and nothing to undo. */
  async remove(manifest: TransactionManifest): Promise<void> {
    await this.#disk.step('manifest-remove', manifest.callId);
    await unlink(this.#pending(manifest.callId)).catch(ignoreMissing);
    // Or a power cut could bring it back after the same files were changed anew, and those changes would be taken back.
    await this.#syncPending();
    await this.#removeSpares(manifest);
  }

  /** Removes this call's manifest and spare images before anything of the workspace was touched. */
  async drop(callId: string): Promise<void> {
    const prefix = manifestFileName(callId);
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    const ours = names.filter((name) => name.startsWith(`${prefix}.`));
    for (const name of ours) await unlink(join(this.#folder, name)).catch(ignoreMissing);
    if (ours.length > 0 && this.#disk.durable) await syncFolder(this.#folder);
  }

  /** Reads the manifests that a crash left, the latest first. One that can't be read is renamed, and reported. */
  async pending(onDamaged: (file: string) => void): Promise<readonly TransactionManifest[]> {
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    const manifests: TransactionManifest[] = [];
    for (const name of names.toSorted()) {
      const file = join(this.#folder, name);
      if (name.endsWith('.json.new')) await unlink(file).catch(ignoreMissing);
      if (!name.endsWith('.json')) continue;
      const manifest = parse(await readFile(file, 'utf8'));
      if (manifest !== null) manifests.push(manifest);
      else {
        await rename(file, `${file}.damaged`);
        onDamaged(`${file}.damaged`);
      }
    }
    return manifests.toSorted((a, b) => b.order - a.order);
  }

  /** Spare images of which no manifest speaks: a crash came before it. */
  async removeStraySpares(): Promise<void> {
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    for (const name of names) if (name.endsWith('.image')) await unlink(join(this.#folder, name)).catch(ignoreMissing);
  }

  async record(callId: string): Promise<TransactionManifest | null> {
    for (const segment of (await this.#images.segments()).toReversed()) {
      const text = await readFile(this.#settled(segment, callId), 'utf8').catch(ignoreMissing);
      if (text !== null && text !== undefined) return parse(text);
    }
    return null;
  }

  async #removeSpares(manifest: TransactionManifest): Promise<void> {
    for (const { before, after } of manifest.files) {
      for (const state of [before, after]) {
        if (state?.kind === 'file' && state.image?.kind === 'spare') {
          await unlink(join(this.#folder, state.image.file)).catch(ignoreMissing);
        }
      }
    }
  }

  async #syncPending(): Promise<void> {
    await this.#disk.step('manifest-folder-sync', this.#folder);
    if (this.#disk.durable) await syncFolder(this.#folder);
  }

  #pending(callId: string): string {
    return join(this.#folder, `${manifestFileName(callId)}.json`);
  }

  #settled(segment: number, callId: string): string {
    return join(this.#images.folderOf(segment), `${manifestFileName(callId)}.json`);
  }
}

/** Call ids are ours and plain; should one ever not be, it still can't name another folder. */
export const manifestFileName = (callId: string): string => encodeURIComponent(callId).replaceAll('.', '%2E');

function parse(text: string): TransactionManifest | null {
  try {
    const value: unknown = JSON.parse(text);
    const sound = typeof value === 'object' && value !== null && 'version' in value && value.version === 1;
    return sound ? (value as TransactionManifest) : null;
  } catch {
    return null;
  }
}

function ignoreMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
