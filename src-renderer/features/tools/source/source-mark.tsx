import {
  Ban,
  CircleOff,
  CirclePause,
  CircleCheck,
  Download,
  FileDiff,
  Hourglass,
  type LucideIcon,
  Sparkles,
  TriangleAlert,
} from 'lucide-react';
import type { SourceView } from '#contract/window/tools/sources.js';
import { LOOK_LABELS, chooseLook, type SourceLook } from './source-labels.js';

const ICONS: Readonly<Record<SourceLook, LucideIcon>> = {
  running: CircleCheck,
  fetching: Download,
  starting: Hourglass,
  listing: Hourglass,
  stopped: CirclePause,
  changed: FileDiff,
  new: Sparkles,
  refused: Ban,
  failed: TriangleAlert,
  off: CircleOff,
};

/** The state of a source: a sign, and its word beside it or for who can’t see the sign. */
export function SourceMark({ source, withWord = true }: { readonly source: SourceView; readonly withWord?: boolean }) {
  const look = chooseLook(source);
  const Icon = ICONS[look];
  return (
    <span className={`gh-mark gh-source-mark gh-source-${look}`} {...(withWord ? {} : { title: LOOK_LABELS[look] })}>
      <Icon aria-hidden />
      <span className={withWord ? undefined : 'sr-only'}>{LOOK_LABELS[look]}</span>
    </span>
  );
}
