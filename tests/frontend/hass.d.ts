// What of the frontend's `hass` the cards use.

interface HassState {
  entity_id: string;
  state: string;
  attributes: Record<string, any>;
  last_changed: string;
  last_updated: string;
}

interface HassEntity {
  entity_id: string;
  platform: string;
  translation_key?: string;
  device_id?: string | null;
  entity_category?: string | null;
  hidden?: boolean;
  name?: string | null;
}

interface HassDevice {
  id: string;
  name?: string | null;
  name_by_user?: string | null;
  parent_device_id?: string | null;
}

interface Hass {
  states: Record<string, HassState>;
  entities: Record<string, HassEntity>;
  devices: Record<string, HassDevice>;
  language: string;
  connected?: boolean;
  locale: { language: string; time_zone: string; time_format: string; number_format: string };
  themes?: { darkMode: boolean };
  config: { language: string; time_zone: string; components: string[]; unit_system: Record<string, string> };
  callWS(message: Record<string, unknown>): Promise<any>;
  callService(domain: string, service: string, data: unknown, target: unknown): Promise<unknown>;
  localize(key: string): string;
  formatEntityState(state: HassState, value?: string): string;
  formatEntityName(state: HassState, parts: unknown): string;
}

interface Problem {
  key: string;
  severity: string;
  sentence: string;
  next_step?: string;
  variant?: string;
  step?: string;
  values?: Record<string, string>;
  since?: string;
  action?: { key?: string; label: string; entity_id?: string; perform_action?: string; url?: string };
}

interface CardConfig {
  type: string;
  device_id?: string;
  entity_id?: string;
  show?: string[];
}

interface Window {
  hassConnection?: Promise<{ conn: { sendMessagePromise(message: Record<string, unknown>): Promise<any> } }>;
  customStrategies?: unknown[];
  customCards?: unknown[];
  customCardFeatures?: { type: string; name: string; isSupported(hass: Hass, context: { entity_id: string }): boolean }[];
}
