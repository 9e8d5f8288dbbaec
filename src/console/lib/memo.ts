/** Wraps a component so that it renders again only if one of its properties has changed. */

import { Component, type ComponentType, type FunctionComponent, h } from 'preact';

export function memo<Props extends object>(drawn: FunctionComponent<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isSame(this.props, next);
    }
    override render() {
      return h(drawn, this.props);
    }
  };
}

function isSame(one: object, other: object): boolean {
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return entries.length === others.size && entries.every(([key, value]) => Object.is(others.get(key), value));
}
