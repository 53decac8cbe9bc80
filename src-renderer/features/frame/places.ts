import { Activity, History, type LucideIcon, MessageSquare, PencilRuler, Settings, Wrench } from 'lucide-react';
import { type Place, PLACES } from '#contract/window/app-events.js';

const ABOUT: Readonly<Record<Place, { readonly title: string; readonly Icon: LucideIcon }>> = {
  conversation: { title: 'Conversation', Icon: MessageSquare },
  compose: { title: 'Compose', Icon: PencilRuler },
  history: { title: 'History', Icon: History },
  tools: { title: 'Tools', Icon: Wrench },
  health: { title: 'Health', Icon: Activity },
  settings: { title: 'Settings', Icon: Settings },
};

export const PLACE_ENTRIES = PLACES.map((place) => ({ place, ...ABOUT[place] }));
