/// The text of the steps over `Lanes`, which is included once for each kind of lanes, with the flags of their
/// instructions. No multiplication and addition are contracted, so that lanes of all kinds round alike. All in an
/// unnamed namespace: nothing compiled for a newer CPU may be linked into what an older one runs.
#pragma once

#include "variants/ambient_obscurance/family/steps.h"

namespace lab::ambient_obscurance {
namespace {

/// One class, because all steps are timed and share their `Lanes`.
template <typename Lanes>
struct StepsText {
  using F = typename Lanes::F;
  using I = typename Lanes::I;
  static constexpr std::int32_t kWide = Lanes::kWide;

  /// Calls work(x) so that each pixel of a row is in at least one group of lanes; the last group may overlap the one
  /// before, and then gives the same again.
  template <typename Work>
  static void along(std::int32_t width, const Work& work) {
    std::int32_t x = 0;
    for (; x + kWide <= width; x += kWide) work(x);
    if (x < width) work(width - kWide);
  }

  static F clamp01(F x) { return Lanes::least(Lanes::most(x, Lanes::all(0.f)), Lanes::all(1.f)); }
  static I clamp(I x, std::int32_t end) {
    return Lanes::least(Lanes::most(x, Lanes::all(std::int32_t{0})), Lanes::all(end - 1));
  }
  /// Down to a whole number: above -1024.
  static I down(F x) { return Lanes::truncated(x + Lanes::all(1024.f)) - Lanes::all(std::int32_t{1024}); }

  static void linearise(const Job& job, std::int32_t first_row, std::int32_t end_row) {
    if (job.moving != nullptr)
      linearise_rows<true>(job, first_row, end_row);
    else
      linearise_rows<false>(job, first_row, end_row);
  }

  template <bool kMarks>
  static void linearise_rows(const Job& job, std::int32_t first_row, std::int32_t end_row) {
    for (std::int32_t y = first_row; y < end_row; ++y) {
      const std::int32_t row = y * job.width;
      along(job.width, [&](std::int32_t x) {
        const F depth = Lanes::load(job.depth + row + x);
        const F far = Lanes::all(kNothing);
        F z = Lanes::least(Lanes::all(job.near) / depth, far);  // near / 0 is infinite
        if constexpr (kMarks)
          z = Lanes::where(Lanes::bytes(job.moving + row + x) != Lanes::all(std::int32_t{0}), -z, z);
        Lanes::store(job.z + row + x, z);
      });
    }
  }

  // One texel of four, which turns from row to row and column to column: a mean would be where nothing is. What moves
  // anywhere in the four moves.
  static void halve(const Job& job, std::int32_t level, std::int32_t first_row, std::int32_t end_row) {
    if (job.moving != nullptr && job.forwards_movers)
      halve_rows<true>(job, level, first_row, end_row);
    else
      halve_rows<false>(job, level, first_row, end_row);
  }

  template <bool kMarks>
  static void halve_rows(const Job& job, std::int32_t level, std::int32_t first_row, std::int32_t end_row) {
    const auto l = static_cast<std::size_t>(level);
    const std::int32_t width = job.chain.width[l], above = job.chain.width[l - 1];
    const float* from = job.z + job.chain.first[l - 1];
    for (std::int32_t y = first_row; y < end_row; ++y) {
      const float* upper = from + 2 * y * above;
      const float* lower = upper + above;
      float* to = job.z + job.chain.first[l] + y * width;
      for (std::int32_t x = 0; x < width; ++x) {
        const float* picked = (x & 1) != 0 ? lower : upper;
        const float z = picked[2 * x + (y & 1)];
        const float away = z < 0 ? -z : z;
        if constexpr (kMarks) {
          const bool moves = upper[2 * x] < 0 || upper[2 * x + 1] < 0 || lower[2 * x] < 0 || lower[2 * x + 1] < 0;
          to[x] = moves ? -away : away;
        } else {
          to[x] = away;
        }
      }
    }
  }

  struct Point {
    F x, y, z;
    friend Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  };
  static F dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  static F away(F z) { return Lanes::most(z, -z); }

  static Point point(const Job& job, I x, I y, F z) {
    const F step = Lanes::all(job.step);
    return {(Lanes::all(job.x_first) + Lanes::number(x) * step) * z,
            (Lanes::all(job.y_first) + Lanes::number(y) * step) * z, z};
  }

  /// The difference to the neighbour whose depth is nearer, in the direction of growing coordinates.
  static Point along_surface(const Job& job, const Point& middle, I x, I y, std::int32_t dx, std::int32_t dy) {
    const I one_x = Lanes::all(dx), one_y = Lanes::all(dy);
    const I width = Lanes::all(job.width), limit_x = width - Lanes::all(std::int32_t{1}),
            limit_y = Lanes::all(job.height - 1);
    const I after_x = Lanes::least(x + one_x, limit_x), after_y = Lanes::least(y + one_y, limit_y);
    const I zero = Lanes::all(std::int32_t{0});
    const I before_x = Lanes::most(x - one_x, zero), before_y = Lanes::most(y - one_y, zero);
    const F z_after = away(Lanes::gather(job.z, after_y * width + after_x));
    const F z_before = away(Lanes::gather(job.z, before_y * width + before_x));
    const Point after = point(job, after_x, after_y, z_after) - middle;
    const Point before = middle - point(job, before_x, before_y, z_before);
    // At an edge of the image one of the two is the pixel itself.
    const auto no_before = (before_x == x) & (before_y == y);
    const auto has_after = (after_x != x) | (after_y != y);
    const auto take_after = no_before | (has_after & Lanes::not_greater(away(after.z), away(before.z)));
    return {Lanes::where(take_after, after.x, before.x), Lanes::where(take_after, after.y, before.y),
            Lanes::where(take_after, after.z, before.z)};
  }

  static void obscure(const Job& job, std::int32_t first_row, std::int32_t end_row) {
    if (job.touching != nullptr)
      obscure_rows<true>(job, first_row, end_row);
    else
      obscure_rows<false>(job, first_row, end_row);
  }

  template <bool kCounts>
  static void obscure_rows(const Job& job, std::int32_t first_row, std::int32_t end_row) {
    const F share = Lanes::all(1.f / static_cast<float>(job.samples));
    const F radius2 = Lanes::all(kRadius * kRadius);
    const F scale = Lanes::all(
        5 * kIntensity / (kRadius * kRadius * kRadius * kRadius * kRadius * kRadius * static_cast<float>(job.samples)));
    for (std::int32_t row = first_row; row < end_row; ++row) {
      along(job.width, [&](std::int32_t column) {
        const std::int32_t first = row * job.width + column;
        const I x = Lanes::counting(column), y = Lanes::all(row);
        const Point middle = point(job, x, y, away(Lanes::load(job.z + first)));
        const Point across = along_surface(job, middle, x, y, 1, 0), along_y = along_surface(job, middle, x, y, 0, 1);
        // y is down and z forward, so that this points to the camera.
        Point normal{along_y.y * across.z - along_y.z * across.y, along_y.z * across.x - along_y.x * across.z,
                     along_y.x * across.y - along_y.y * across.x};
        const F length = Lanes::root(dot(normal, normal));
        const F inverse = Lanes::all(1.f) / Lanes::most(length, Lanes::all(1e-20f));
        normal = {normal.x * inverse, normal.y * inverse, normal.z * inverse};

        const I kind = Lanes::bytes(job.kind_of + first) * Lanes::all(std::int32_t{sizeof(PixelKind) / sizeof(float)});
        const F cosine = Lanes::gather(&job.kinds->cosine, kind), sine = Lanes::gather(&job.kinds->sine, kind);
        const F shift = Lanes::gather(&job.kinds->shift, kind);
        const F disc =
            Lanes::least(Lanes::load(job.depth + first) * Lanes::all(job.pixels_by_depth), Lanes::all(kMostRadius));
        F sum = Lanes::all(0.f), moving = Lanes::all(0.f);
        for (std::int32_t i = 0; i < job.samples; ++i) {
          const F reach = (Lanes::all(static_cast<float>(i)) + shift) * share * disc;
          const F turned_x = Lanes::all(job.spiral[i].x), turned_y = Lanes::all(job.spiral[i].y);
          const F dx = (turned_x * cosine - turned_y * sine) * reach,
                  dy = (turned_x * sine + turned_y * cosine) * reach;
          const I sample_x = clamp(x + down(dx + Lanes::all(0.5f)), job.width);
          const I sample_y = clamp(y + down(dy + Lanes::all(0.5f)), job.height);
          // The level doubles with the distance, so that a texel of any level covers about as much of the disc.
          I level = Lanes::all(std::int32_t{0});
          for (std::int32_t m = 1; m < job.levels; ++m)
            level = level + Lanes::one_where(
                                Lanes::not_greater(Lanes::all(static_cast<float>(kMostPixelsAt0 << (m - 1))), reach));
          const I last_x = Lanes::lookup(job.chain.width, level) - Lanes::all(std::int32_t{1});
          const I last_y = Lanes::lookup(job.chain.height, level) - Lanes::all(std::int32_t{1});
          const I texel =
              Lanes::lookup(job.chain.first, level) +
              Lanes::least(Lanes::shifted(sample_y, level), last_y) * (last_x + Lanes::all(std::int32_t{1})) +
              Lanes::least(Lanes::shifted(sample_x, level), last_x);
          const F z = Lanes::gather(job.z, texel);
          const Point to = point(job, sample_x, sample_y, away(z)) - middle;
          const F distance2 = dot(to, to), above = dot(to, normal);
          const F falloff = Lanes::most(radius2 - distance2, Lanes::all(0.f));
          sum =
              sum + falloff * falloff * falloff *
                        Lanes::most((above - Lanes::all(kBias)) / (Lanes::all(kEpsilon) + distance2), Lanes::all(0.f));
          if constexpr (kCounts) moving = moving + Lanes::where(z < Lanes::all(0.f), Lanes::all(1.f), Lanes::all(0.f));
        }
        Lanes::store(job.obscured + first, Lanes::most(Lanes::all(1.f) - sum * scale, Lanes::all(0.f)));
        if constexpr (kCounts) Lanes::store(job.touching + first, moving * share);
      });
    }
  }

  /// Between the four texels around a place; 0, 0 is the middle of the first.
  static F between(const float* texels, I upper_left, I right, I below, F part_x, F part_y) {
    const F a = Lanes::gather(texels, upper_left), b = Lanes::gather(texels, upper_left + right);
    const F c = Lanes::gather(texels, upper_left + below), d = Lanes::gather(texels, upper_left + right + below);
    const F top = a + (b - a) * part_x, bottom = c + (d - c) * part_x;
    return top + (bottom - top) * part_y;
  }

  static void reproject(const Job& job, std::int32_t first_row, std::int32_t end_row) {
    const I width = Lanes::all(job.width), one = Lanes::all(std::int32_t{1});
    const F low = Lanes::all(kLowVelocity), high = Lanes::all(kHighVelocity);
    for (std::int32_t row = first_row; row < end_row; ++row) {
      along(job.width, [&](std::int32_t column) {
        const std::int32_t first = row * job.width + column;
        const F now = Lanes::load(job.obscured + first);
        const F motion_x = Lanes::load(job.motion_x + first), motion_y = Lanes::load(job.motion_y + first);
        const F was_x = Lanes::number(Lanes::counting(column)) - motion_x,
                was_y = Lanes::number(Lanes::all(row)) - motion_y;
        // History ends where the image does.
        const auto outside = Lanes::not_greater(was_x, Lanes::all(-0.5f)) |
                             Lanes::not_greater(was_y, Lanes::all(-0.5f)) |
                             Lanes::not_greater(Lanes::all(static_cast<float>(job.width) - 0.5f), was_x) |
                             Lanes::not_greater(Lanes::all(static_cast<float>(job.height) - 0.5f), was_y);
        const F inside_x =
            Lanes::least(Lanes::most(was_x, Lanes::all(0.f)), Lanes::all(static_cast<float>(job.width - 1)));
        const F inside_y =
            Lanes::least(Lanes::most(was_y, Lanes::all(0.f)), Lanes::all(static_cast<float>(job.height - 1)));
        const I left = Lanes::truncated(inside_x), top = Lanes::truncated(inside_y);
        const F part_x = inside_x - Lanes::number(left), part_y = inside_y - Lanes::number(top);
        const I right = Lanes::least(one, Lanes::all(job.width - 1) - left);
        const I below = Lanes::least(one, Lanes::all(job.height - 1) - top) * width;
        const I corner = top * width + left;

        F depth_similarity = Lanes::all(1.f);
        if (job.disocclusion) {
          const I nearest =
              Lanes::truncated(inside_y + Lanes::all(0.5f)) * width + Lanes::truncated(inside_x + Lanes::all(0.5f));
          const F ratio = away(Lanes::gather(job.last_z, nearest)) / away(Lanes::load(job.z + first));
          depth_similarity = clamp01(ratio * ratio * (ratio * ratio) + Lanes::all(kDepthMinimum));
        }
        F fast = Lanes::all(0.f);
        if (job.velocity)
          fast = clamp01(Lanes::root(motion_x * motion_x + motion_y * motion_y) * Lanes::all(kVelocityScale));
        F penalty = Lanes::all(0.f);
        if (job.dangerous != Dangerous::kOff) {
          const F current = clamp01(Lanes::load(job.touching + first) * Lanes::all(kMovingScale)) *
                            Lanes::all(kLowVelocity - kMovingMinimum);
          F before = between(job.last_penalty, corner, right, below, part_x, part_y);
          if (!job.has_history) before = current;
          before = Lanes::where(outside, current, before);
          const F smoothed = current + (before - current) * Lanes::all(kSmoothing);
          penalty = job.dangerous == Dangerous::kCurrent   ? current
                    : job.dangerous == Dangerous::kPrinted ? Lanes::least(smoothed, current)
                                                           : Lanes::most(smoothed, current);
        }
        F similarity = job.printed_combination ? (depth_similarity * low - fast) * (low - high)
                                               : depth_similarity * (low - fast * (low - high));
        similarity = clamp01(similarity - penalty);
        if (!job.has_history) similarity = Lanes::all(0.f);
        similarity = Lanes::where(outside, Lanes::all(0.f), similarity);
        const F history = between(job.last_result, corner, right, below, part_x, part_y);
        Lanes::store(job.result + first, now + (history - now) * similarity);
        Lanes::store(job.penalty + first, penalty);
        if (job.weight != nullptr) Lanes::store(job.weight + first, similarity);
      });
    }
  }

  static constexpr Steps kSteps{linearise, halve, obscure, reproject};
};

}  // namespace
}  // namespace lab::ambient_obscurance
