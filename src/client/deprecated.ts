/** Keeps earlier type names importable until 1.0. */

export type {
  /** @deprecated Use `ReconnectOptions`. */
  ReconnectOptions as Reconnect,
} from './connection/reconnecting-link.ts';
export type {
  /** @deprecated Use `ObservationContext`. */
  ObservationContext as ObservedAt,
} from './operations/observation.ts';
