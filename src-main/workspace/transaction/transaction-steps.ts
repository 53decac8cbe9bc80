/**
 * Every place where a transaction can fail or the machine can stop. Tests break each one; the app passes no hook.
 */
export type TransactionStep =
  | 'image-open'
  | 'image-write'
  | 'image-sync'
  | 'manifest-write'
  | 'manifest-sync'
  | 'manifest-rename'
  | 'manifest-folder-sync'
  | 'inspect'
  | 'folder-create'
  | 'folder-remove'
  | 'temp-create'
  | 'temp-write'
  | 'temp-owner'
  | 'temp-mode'
  | 'temp-sync'
  | 'verify'
  | 'place'
  | 'place-cleanup'
  | 'remove'
  | 'folder-sync'
  | 'restore-begin'
  | 'restore-file'
  | 'restore-temp'
  | 'manifest-remove'
  | 'settle';

/** Called right before the step on `subject` (a path or a file's name). Whatever it throws is that step's failure. */
export type TransactionStepHook = (step: TransactionStep, subject: string) => void | Promise<void>;

/** How the disk is used: where tests cut in, and whether to wait until bytes are truly there. */
export interface DiskAccess {
  readonly step: TransactionStepHook;
  /** False only to measure what waiting costs. */
  readonly durable: boolean;
}
