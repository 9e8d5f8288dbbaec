/** Where the page begins. */

import { render } from 'preact';
import './style/base.css';

function App() {
  return (
    <main>
      <h1>Parley</h1>
    </main>
  );
}

const place = document.getElementById('app');
if (place !== null) render(<App />, place);
