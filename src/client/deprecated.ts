/** Names of version 0.1. They stay importable until 1.0. */

export type {
  /** @deprecated since 0.2; use `ReconnectOptions`. */
  ReconnectOptions as Reconnect,
} from './connection/reconnecting-link.ts';
export type {
  /** @deprecated since 0.2; use `ObservationContext`. */
  ObservationContext as ObservedAt,
} from './operations/observation.ts';
