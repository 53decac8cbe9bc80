import Type from 'typebox';
import type { InstructionFile } from '../../vocabulary/conversation/instructions.js';
import { byHand, channel, closed, id, path } from '../channel.js';

/** The person's word on texts that models are given. */
export const TRUST_CHANNELS = {
  /** Clears the texts that it was given in that folder. */
  'given.forget': byHand<null>()(Type.Object({ to: id, workspace: path }, closed)),
  /** “I trust what is written in this folder”, or not any more. */
  'given.trustFolder': byHand<null>()(Type.Object({ workspace: path, trusted: Type.Boolean() }, closed)),
  /** Lists the files of a folder that tell a model how to work there, as they are now. */
  'instructions.review': channel<readonly InstructionFile[]>()(Type.Object({ workspace: path }, closed)),
  /** “Use these instructions”: this very content. */
  'instructions.accept': byHand<readonly InstructionFile[]>()(
    Type.Object({ workspace: path, path, digest: id }, closed),
  ),
} as const;
