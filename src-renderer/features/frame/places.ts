import { Activity, History, type LucideIcon, MessageSquare, PencilRuler, Settings, Wrench } from 'lucide-react';
import { type Place, PLACE_TITLES, PLACES } from '#contract/window/app-events.js';

const ICONS: Readonly<Record<Place, LucideIcon>> = {
  conversation: MessageSquare,
  compose: PencilRuler,
  history: History,
  tools: Wrench,
  health: Activity,
  settings: Settings,
};

export const PLACE_ENTRIES = PLACES.map((place) => ({ place, title: PLACE_TITLES[place], Icon: ICONS[place] }));
